/** The checksums of the statements of the migrations, by name and engine. The database records them; `tests/schema.test.ts` compares. */
export const checksums = {
  '0001': {
    sqlite: 'cadb9ee446f29a9caf759f256c711c8792ff7961dbaae12c22cff43166e030eb',
    postgres: '73f85b510b594fb9579627caa5a70ea866585afc399157427cff324ba191f0f9',
  },
} as const
