/** The checksums of the statements of the migrations, by name and engine. The database records them; `tests/schema.test.ts` compares. */
export const checksums = {
  '0001': {
    sqlite: '886ef216662051bca2aef7193ae31981f82701b9dc1db09d2ff51cd2ecd06a32',
    postgres: '5be7d11b5934d39096eaf495bd9e7cbdf5385cd717f96b209f81f5da9bf30117',
  },
  '0002': {
    sqlite: '28aa887403b0558acaf8b0abe806677017e3e4265bba366d2d6c817afdbbfab9',
    postgres: '65db18fa752478e34a4af91f9a15eecf3aba85d1225381eabd79029b222b4529',
  },
} as const
