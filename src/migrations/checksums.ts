/** The checksums of the statements of the migrations, by name and engine. The database records them; `tests/schema.test.ts` compares. */
export const checksums = {
  '0001': {
    sqlite: '886ef216662051bca2aef7193ae31981f82701b9dc1db09d2ff51cd2ecd06a32',
    postgres: '5be7d11b5934d39096eaf495bd9e7cbdf5385cd717f96b209f81f5da9bf30117',
  },
  '0002': {
    sqlite: '892267f908c1aa13750f7cd2c2ca24edad8d51f8385e2a7cfc00f25ad32c150a',
    postgres: '5ead560a06d475d52a2e86719bede3061b571cddfe601569f8cd00b4fec14e16',
  },
} as const
