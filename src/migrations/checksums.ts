/** The checksums of the statements of the migrations, by name and engine. The database records them; `tests/schema.test.ts` compares. */
export const checksums = {
  '0001': {
    sqlite: '886ef216662051bca2aef7193ae31981f82701b9dc1db09d2ff51cd2ecd06a32',
    postgres: '5be7d11b5934d39096eaf495bd9e7cbdf5385cd717f96b209f81f5da9bf30117',
  },
  '0002': {
    sqlite: '0abb8b6af4a9147b826ea1376857ba5878121a52118e342c7eb3d6bc8f8a7ce6',
    postgres: 'd1bc9b0db5436cecfc3b6c0f96544ccc3a98cc1b4ff71dcf27febd0ca63839dc',
  },
} as const
