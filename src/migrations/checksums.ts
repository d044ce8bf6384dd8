/** The checksums of the statements of the migrations, by name and engine. The database records them; `tests/schema.test.ts` compares. */
export const checksums = {
  '0001': {
    sqlite: '886ef216662051bca2aef7193ae31981f82701b9dc1db09d2ff51cd2ecd06a32',
    postgres: '5be7d11b5934d39096eaf495bd9e7cbdf5385cd717f96b209f81f5da9bf30117',
  },
  '0002': {
    sqlite: 'e1c8915f6bd3fc9ff7df70b96a4d1ab0064741db60fd1ec4fd4d4aa7378ebe76',
    postgres: 'efbaf8e896cbb052ab40744847c7b197dfe9e59039321c9e0235d45ba46db0fc',
  },
} as const
