/** The checksums of the statements of the migrations, by name and engine. The database records them; `tests/schema.test.ts` compares. */
export const checksums = {
  '0001': {
    sqlite: 'b6f992df09311dffaa07da27d2073a123270c8b0bcf79cca58e4142ec287fc89',
    postgres: '63677e15a2d4297b65fd11b9f284a4e66cb86c7cbb5714534a66cde49a0494cb',
  },
} as const
