-- By which the server knows the secret of hashed device ids again (decision 0075); NULL before ids are hashed.
ALTER TABLE meta ADD COLUMN device_secret_check TEXT CHECK (length(device_secret_check) = 16);

-- The time at which a secret replaced another one.
ALTER TABLE meta ADD COLUMN device_secret_replaced_at INTEGER CHECK (
    device_secret_replaced_at IS NULL OR device_secret_check IS NOT NULL);
