/** The checksums of the statements of the migrations, by name and engine. The database records them; `tests/schema.test.ts` compares. */
export const checksums = {
  '0001': {
    sqlite: '886ef216662051bca2aef7193ae31981f82701b9dc1db09d2ff51cd2ecd06a32',
    postgres: '5be7d11b5934d39096eaf495bd9e7cbdf5385cd717f96b209f81f5da9bf30117',
  },
  '0002': {
    sqlite: '5c8031f589e9b0d9dd968a95c4bd8e01f5874612ef79ed4a4038a456dc482365',
    postgres: '5e5328537cd01d9d57a932ec1d2ac90ae3f84ef18f6517898e1696bc28dedb37',
  },
} as const
