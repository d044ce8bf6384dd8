/** The checksums of the statements of the migrations, by name and engine. The database records them; `tests/schema.test.ts` compares. */
export const checksums = {
  '0001': {
    sqlite: '886ef216662051bca2aef7193ae31981f82701b9dc1db09d2ff51cd2ecd06a32',
    postgres: '5be7d11b5934d39096eaf495bd9e7cbdf5385cd717f96b209f81f5da9bf30117',
  },
  '0002': {
    sqlite: '3ded286e37a1761fae1716736965cfd362d9e0fcdd5365a37f5f6c437a2d5ee2',
    postgres: 'c5786ae7885da265e0b4c30c8744ceda3ebe29c4d2769f5cf2520e70ecd79ca9',
  },
} as const
