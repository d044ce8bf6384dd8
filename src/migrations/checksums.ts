/** The checksums of the statements of the migrations, by name and engine. The database records them; `tests/schema.test.ts` compares. */
export const checksums = {
  '0001': {
    sqlite: '886ef216662051bca2aef7193ae31981f82701b9dc1db09d2ff51cd2ecd06a32',
    postgres: '5be7d11b5934d39096eaf495bd9e7cbdf5385cd717f96b209f81f5da9bf30117',
  },
  '0002': {
    sqlite: 'eab7aff20134fde4ac6e3fdf148851a95b0a722430d65cbc141253c0291295a9',
    postgres: '4d9e36265f97c7b3686f418b1543e6b1c4237f6a8a78c82997cd4042b7aad27d',
  },
} as const
