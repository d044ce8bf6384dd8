/** The checksums of the statements of the migrations, by name and engine. The database records them; `tests/schema.test.ts` compares. */
export const checksums = {
  '0001': {
    sqlite: '886ef216662051bca2aef7193ae31981f82701b9dc1db09d2ff51cd2ecd06a32',
    postgres: '5be7d11b5934d39096eaf495bd9e7cbdf5385cd717f96b209f81f5da9bf30117',
  },
  '0002': {
    sqlite: '017a1b0dae50acdf76bec521c6805fd26cf5fcda56295d772042049fe9949c01',
    postgres: '44d5842a129daac71e2dce16c1a47ca2e91bbae01bcef79f24793919ba1252f2',
  },
} as const
