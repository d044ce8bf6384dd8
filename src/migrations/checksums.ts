/** The checksums of the statements of the migrations, by name and engine. The database records them; `tests/schema.test.ts` compares. */
export const checksums = {
  '0001': {
    sqlite: 'ac25b8e0fe38febd79b552e723a8280c07357b921dd28f1fba2c426c89e9f46b',
    postgres: '87fec50e5b209db0de169b4324edb2bc8ba32b965d18e0120ee84ccc28c75249',
  },
} as const
