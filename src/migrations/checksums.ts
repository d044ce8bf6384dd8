/** The checksums of the statements of the migrations, by name and engine. The database records them; `tests/schema.test.ts` compares. */
export const checksums = {
  '0001': {
    sqlite: '886ef216662051bca2aef7193ae31981f82701b9dc1db09d2ff51cd2ecd06a32',
    postgres: '5be7d11b5934d39096eaf495bd9e7cbdf5385cd717f96b209f81f5da9bf30117',
  },
  '0002': {
    sqlite: '6d1002ca1196552a42665a5f00c95fa00c99537e1bb46e5874c3f90791ba2f26',
    postgres: '585bbd749947fe605ab5e02d2e5a185087b57ff12ad6a226e1c0983937434b1a',
  },
} as const
