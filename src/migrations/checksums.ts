/** The checksums of the statements of the migrations, by name and engine. The database records them; `tests/schema.test.ts` compares. */
export const checksums = {
  '0001': {
    sqlite: '886ef216662051bca2aef7193ae31981f82701b9dc1db09d2ff51cd2ecd06a32',
    postgres: '5be7d11b5934d39096eaf495bd9e7cbdf5385cd717f96b209f81f5da9bf30117',
  },
  '0002': {
    sqlite: 'e0b1de9d6b515effc3b0002b8521aac37c6f737d1597bec8d2dbc769abdefe72',
    postgres: '42794e169bd0796040bacab302957cb288acecc2873e92f88bb3a16bd54b8443',
  },
} as const
