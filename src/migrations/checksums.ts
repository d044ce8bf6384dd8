/** The checksums of the statements of the migrations, by name and engine. The database records them; `tests/schema.test.ts` compares. */
export const checksums = {
  '0001': {
    sqlite: '886ef216662051bca2aef7193ae31981f82701b9dc1db09d2ff51cd2ecd06a32',
    postgres: '5be7d11b5934d39096eaf495bd9e7cbdf5385cd717f96b209f81f5da9bf30117',
  },
  '0002': {
    sqlite: 'd42a5db2289b5af0755d4a761451c9c4273e6a5ca7ade196a148b96d4961cefe',
    postgres: '64b4595229e1d606e79a975600b8f9b5e75b8a79868b5614f47d6a21c3d1855a',
  },
} as const
