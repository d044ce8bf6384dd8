/** The checksums of the statements of the migrations, by name and engine. The database records them; `tests/schema.test.ts` compares. */
export const checksums = {
  '0001': {
    sqlite: '886ef216662051bca2aef7193ae31981f82701b9dc1db09d2ff51cd2ecd06a32',
    postgres: '5be7d11b5934d39096eaf495bd9e7cbdf5385cd717f96b209f81f5da9bf30117',
  },
  '0002': {
    sqlite: 'a21c3e351fa2c387fb83878447c3ac248c3bbe7552b0222fdc7aea0869135949',
    postgres: '9a3d8ea42afad12d9f9b589aae5063e00a898357d7f420a1edfb8a7e6c6774b2',
  },
} as const
