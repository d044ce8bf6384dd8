/** The checksums of the statements of the migrations, by name and engine. The database records them; `tests/schema.test.ts` compares. */
export const checksums = {
  '0001': {
    sqlite: '886ef216662051bca2aef7193ae31981f82701b9dc1db09d2ff51cd2ecd06a32',
    postgres: '5be7d11b5934d39096eaf495bd9e7cbdf5385cd717f96b209f81f5da9bf30117',
  },
  '0002': {
    sqlite: 'b3acdcc1b372c05cb5609e9cdad69cbb0f62f0963f92ad22c38e84519465ac55',
    postgres: 'c48d21bc7f01455e7b1f6924f3d2670849e004345a58206aaf167c5074e3c867',
  },
} as const
