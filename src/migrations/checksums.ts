/** The checksums of the statements of the migrations, by name and engine. The database records them; `tests/schema.test.ts` compares. */
export const checksums = {
  '0001': {
    sqlite: '886ef216662051bca2aef7193ae31981f82701b9dc1db09d2ff51cd2ecd06a32',
    postgres: '5be7d11b5934d39096eaf495bd9e7cbdf5385cd717f96b209f81f5da9bf30117',
  },
  '0002': {
    sqlite: 'e998a9bfa397b375c2eb373a489a6204acc7cf47acf12bad315a0c0a936908c3',
    postgres: '9aab7dd10fa5817adb16c36ff8f93f1f482440a4329f08516e45ffa7875b9c75',
  },
} as const
