/** The checksums of the statements of the migrations, by name and engine. The database records them; `tests/schema.test.ts` compares. */
export const checksums = {
  '0001': {
    sqlite: '886ef216662051bca2aef7193ae31981f82701b9dc1db09d2ff51cd2ecd06a32',
    postgres: '5be7d11b5934d39096eaf495bd9e7cbdf5385cd717f96b209f81f5da9bf30117',
  },
  '0002': {
    sqlite: '4fa4f34599e3da6d5aa3c7cd69de27ec9bdbcd9bb04b6996504e5997f818273b',
    postgres: 'f2460bf7b9f88b53a2afd99d8cb6941ed42c0631a7517cd4a4779181853a9240',
  },
} as const
