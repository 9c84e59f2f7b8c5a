-- The fingerprint of the secret of hashed device ids: a start with another secret is refused (decision 0075). NULL until ids
-- are hashed.
ALTER TABLE meta ADD COLUMN device_secret_fingerprint TEXT CHECK (length(device_secret_fingerprint) = 16);

-- The time at which a secret replaced another one.
ALTER TABLE meta ADD COLUMN device_secret_replaced_at INTEGER CHECK (
    device_secret_replaced_at IS NULL OR device_secret_fingerprint IS NOT NULL);
