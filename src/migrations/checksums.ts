/** The checksums of the statements of the migrations, by name and engine. The database records them; `tests/schema.test.ts` compares. */
export const checksums = {
  '0001': {
    sqlite: 'b6f992df09311dffaa07da27d2073a123270c8b0bcf79cca58e4142ec287fc89',
    postgres: '6ac839a6da142b4fe2435ade4530e8fbe2e8faca8d035c71bc5cb1c75f00e1bf',
  },
} as const
