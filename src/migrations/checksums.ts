/** The checksums of the statements of the migrations, by name and engine. The database records them; `tests/schema.test.ts` compares. */
export const checksums = {
  '0001': {
    sqlite: '886ef216662051bca2aef7193ae31981f82701b9dc1db09d2ff51cd2ecd06a32',
    postgres: '5be7d11b5934d39096eaf495bd9e7cbdf5385cd717f96b209f81f5da9bf30117',
  },
  '0002': {
    sqlite: '0f7e965269fc535986fb8a65cfd91b7265e0e293813928e299523ee3a8fe9c3d',
    postgres: '8f212e30cf0b5d40fd72c3b6480c0e8ead04363e787494be9b634f000d86f090',
  },
} as const
