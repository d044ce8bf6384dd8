/** The checksums of the statements of the migrations, by name and engine. The database records them; `tests/schema.test.ts` compares. */
export const checksums = {
  '0001': {
    sqlite: '886ef216662051bca2aef7193ae31981f82701b9dc1db09d2ff51cd2ecd06a32',
    postgres: '5be7d11b5934d39096eaf495bd9e7cbdf5385cd717f96b209f81f5da9bf30117',
  },
  '0002': {
    sqlite: 'dc63fbee87193486526be193b0d5b19e22591388db0829661fec31e93f3a23d7',
    postgres: '0e9754f07c888c2adf71442b3a4de2c15ce559d1892126e6eae77c3d7f07b3b0',
  },
} as const
