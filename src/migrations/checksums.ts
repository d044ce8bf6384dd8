/** The checksums of the statements of the migrations, by name and engine. The database records them; `tests/schema.test.ts` compares. */
export const checksums = {
  '0001': {
    sqlite: '886ef216662051bca2aef7193ae31981f82701b9dc1db09d2ff51cd2ecd06a32',
    postgres: '5be7d11b5934d39096eaf495bd9e7cbdf5385cd717f96b209f81f5da9bf30117',
  },
  '0002': {
    sqlite: '7ea35a0158e2fb740f5436378340f52344474f46decf2a3c9419230aa92d9602',
    postgres: '989d09b6e277b08b9c64d060ce2cfa6ef19e0f9965d041ce8e77ad8223ddbc83',
  },
} as const
