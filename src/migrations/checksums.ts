/** The checksums of the statements of the migrations, by name and engine. The database records them; `tests/schema.test.ts` compares. */
export const checksums = {
  '0001': {
    sqlite: '886ef216662051bca2aef7193ae31981f82701b9dc1db09d2ff51cd2ecd06a32',
    postgres: '5be7d11b5934d39096eaf495bd9e7cbdf5385cd717f96b209f81f5da9bf30117',
  },
  '0002': {
    sqlite: 'c092f3e25c5d3e704aa9bf5bb0d65119eea4c00dec0ce6799ebb1c6c85f10287',
    postgres: '02e2b6ec3d6573600b43cecf40457985f0a57209f76eede551ae838d11fa7438',
  },
} as const
