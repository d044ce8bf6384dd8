/** The checksums of the statements of the migrations, by name and engine. The database records them; `tests/schema.test.ts` compares. */
export const checksums = {
  '0001': {
    sqlite: '886ef216662051bca2aef7193ae31981f82701b9dc1db09d2ff51cd2ecd06a32',
    postgres: '5be7d11b5934d39096eaf495bd9e7cbdf5385cd717f96b209f81f5da9bf30117',
  },
  '0002': {
    sqlite: '2a75835b03c9ee150dc40e36bfb2ccf2fad5e83f0fb8726d1dd3e30e52749a00',
    postgres: 'e73b38b97b495f63facbef31fae522764821605219be5f7d49afaa8c475c1808',
  },
} as const
