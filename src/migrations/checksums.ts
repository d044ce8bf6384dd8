/** The checksums of the statements of the migrations, by name and engine. The database records them; `tests/schema.test.ts` compares. */
export const checksums = {
  '0001': {
    sqlite: '886ef216662051bca2aef7193ae31981f82701b9dc1db09d2ff51cd2ecd06a32',
    postgres: '5be7d11b5934d39096eaf495bd9e7cbdf5385cd717f96b209f81f5da9bf30117',
  },
  '0002': {
    sqlite: 'fa462d7218b351192e293cc1c880819918652265f6ea21491a5e0dc9ad032569',
    postgres: 'bc3f03e12af6347725903ea0e1d68f4787012055d7058319d5bf5719738bdc82',
  },
} as const
