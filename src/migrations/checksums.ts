/** The checksums of the statements of the migrations, by name and engine. The database records them; `tests/schema.test.ts` compares. */
export const checksums = {
  '0001': {
    sqlite: '886ef216662051bca2aef7193ae31981f82701b9dc1db09d2ff51cd2ecd06a32',
    postgres: '5be7d11b5934d39096eaf495bd9e7cbdf5385cd717f96b209f81f5da9bf30117',
  },
  '0002': {
    sqlite: '168c0735e9e811b1183b23f8b4203464dffa2d8ddc6d0874e9e94383b8775cb5',
    postgres: '65c2cab44ce3a59cb51168033841fb9dc096e5b9614d49486c1a5b31b0199850',
  },
} as const
