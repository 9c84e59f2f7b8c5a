"""Hooks of schemathesis: the bodies that are bytes."""
import schemathesis


@schemathesis.serializer("application/zip", "application/x-pem-file", "application/offset+octet-stream")
def serialize_bytes(ctx, value):
    return value if isinstance(value, bytes) else str(value).encode()
