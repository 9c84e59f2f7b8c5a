"""Hooks of schemathesis: the bodies that are bytes, and the requests that must not end the run."""
import schemathesis

# The token that the first start of a server prints.
OWN_TOKEN = "1"


@schemathesis.serializer("application/zip", "application/x-pem-file", "application/offset+octet-stream")
def serialize_bytes(ctx, value):
    return value if isinstance(value, bytes) else str(value).encode()


@schemathesis.hook
def before_call(context, case, kwargs):
    """Changes the two requests that would take the token or the data of the run."""
    operation = case.operation.definition.raw.get("operationId")
    if operation == "prune":
        case.query = {**(case.query or {}), "dryRun": "1"}
    if operation == "revokeToken" and str((case.path_parameters or {}).get("id")) == OWN_TOKEN:
        case.path_parameters = {**case.path_parameters, "id": 999_999}
