/** The checksums of the statements of the migrations, by name and engine. The database records them; `tests/schema.test.ts` compares. */
export const checksums = {
  '0001': {
    sqlite: '34aa453f2fb082e5df253ef15400476ef1dbaa48ec34642532484c240dc6f85f',
    postgres: '5d49c0ea43536308715171d70ed57adfe0a7092d678fe440cecb2d2e310797e4',
  },
} as const
