/** The checksums of the statements of the migrations, by name and engine. The database records them; `tests/schema.test.ts` compares. */
export const checksums = {
  '0001': {
    sqlite: 'b0f00d35a35a2dc14c3516394891765d6bc5d13550c6c38263c414f6d2a9bf0e',
    postgres: 'e9e0efee801394b174e61c9e69630ca091e5a47bdb4887f63d63be12744e8add',
  },
} as const
