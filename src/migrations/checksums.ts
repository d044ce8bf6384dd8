/** The checksums of the statements of the migrations, by name and engine. The database records them; `tests/schema.test.ts` compares. */
export const checksums = {
  '0001': {
    sqlite: '886ef216662051bca2aef7193ae31981f82701b9dc1db09d2ff51cd2ecd06a32',
    postgres: '5be7d11b5934d39096eaf495bd9e7cbdf5385cd717f96b209f81f5da9bf30117',
  },
  '0002': {
    sqlite: '54849088f6094a257401c0ff0e0aee2aaf617074c4baa0fc5e8ec1ffe1cdecbc',
    postgres: '54849088f6094a257401c0ff0e0aee2aaf617074c4baa0fc5e8ec1ffe1cdecbc',
  },
} as const
