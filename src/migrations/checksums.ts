/** The checksums of the statements of the migrations, by name and engine. The database records them; `tests/schema.test.ts` compares. */
export const checksums = {
  '0001': {
    sqlite: '886ef216662051bca2aef7193ae31981f82701b9dc1db09d2ff51cd2ecd06a32',
    postgres: '5be7d11b5934d39096eaf495bd9e7cbdf5385cd717f96b209f81f5da9bf30117',
  },
  '0002': {
    sqlite: '9d99900e982e88897de9c3cc2d004763f0a9cf24f7eee8de3541f5894fc0084e',
    postgres: '53365ed49a009c45d6cb9d7e23e3689f688c423fb06de8a51f649071c2ab7a58',
  },
} as const
