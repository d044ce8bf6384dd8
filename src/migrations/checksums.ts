/** The checksums of the statements of the migrations, by name and engine. The database records them; `tests/schema.test.ts` compares. */
export const checksums = {
  '0001': {
    sqlite: '886ef216662051bca2aef7193ae31981f82701b9dc1db09d2ff51cd2ecd06a32',
    postgres: '5be7d11b5934d39096eaf495bd9e7cbdf5385cd717f96b209f81f5da9bf30117',
  },
  '0002': {
    sqlite: 'f68da0e5fcca1600d4d5152bc2e7b086b4fa891a0d4ecb8418e652681dc57886',
    postgres: '80cde762fdd1c2f117e25ca413918d7f7f351857e32f800938dd3319e2481567',
  },
} as const
