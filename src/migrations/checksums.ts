/** The checksums of the statements of the migrations, by name and engine. The database records them; `tests/schema.test.ts` compares. */
export const checksums = {
  '0001': {
    sqlite: '2f47ddde440688c3321670184776bdcd3d37bb4988dc0e4c2352ce442292acc5',
    postgres: '9da454b2233e4998ff6d9254cf287e54d605bb8ddb9c4b5a1c84edc7378c9a7c',
  },
} as const
