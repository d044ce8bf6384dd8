/** The checksums of the statements of the migrations, by name and engine. The database records them; `tests/schema.test.ts` compares. */
export const checksums = {
  '0001': {
    sqlite: '886ef216662051bca2aef7193ae31981f82701b9dc1db09d2ff51cd2ecd06a32',
    postgres: '5be7d11b5934d39096eaf495bd9e7cbdf5385cd717f96b209f81f5da9bf30117',
  },
  '0002': {
    sqlite: '9486b66ae0da537c1c48f5e51448ab2f771a78cf60ee23eadce6021b3398e532',
    postgres: '288e3bf0e929faf25d66030acc18b8aded72c25a1866253b7c18ee2f05f67145',
  },
} as const
