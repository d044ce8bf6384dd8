/** The checksums of the statements of the migrations, by name and engine. The database records them; `tests/schema.test.ts` compares. */
export const checksums = {
  '0001': {
    sqlite: '886ef216662051bca2aef7193ae31981f82701b9dc1db09d2ff51cd2ecd06a32',
    postgres: '5be7d11b5934d39096eaf495bd9e7cbdf5385cd717f96b209f81f5da9bf30117',
  },
  '0002': {
    sqlite: '7f4cea7b166f95ea738e9a7646edb1cd3b997c59d4909484447ed83f978ac681',
    postgres: 'd7a05a7dbc1344ea1af43db9a125b5bab9fb0911443b6d4c2006d968ec0168a1',
  },
} as const
