/** The checksums of the statements of the migrations, by name and engine. The database records them; `tests/schema.test.ts` compares. */
export const checksums = {
  '0001': {
    sqlite: '886ef216662051bca2aef7193ae31981f82701b9dc1db09d2ff51cd2ecd06a32',
    postgres: '5be7d11b5934d39096eaf495bd9e7cbdf5385cd717f96b209f81f5da9bf30117',
  },
  '0002': {
    sqlite: '528c5ed9290d43dfef019bee6b6f064ad222a0c2203e29ab8d51d1556a7bfa0d',
    postgres: '1ef8a3d843fcb49ef659daaf88bed036ed9a46cba0df17aca4ba68ac73504fee',
  },
} as const
