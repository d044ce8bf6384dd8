/** The checksums of the statements of the migrations, by name and engine. The database records them; `tests/schema.test.ts` compares. */
export const checksums = {
  '0001': {
    sqlite: '886ef216662051bca2aef7193ae31981f82701b9dc1db09d2ff51cd2ecd06a32',
    postgres: '5be7d11b5934d39096eaf495bd9e7cbdf5385cd717f96b209f81f5da9bf30117',
  },
  '0002': {
    sqlite: '96d9bf182521bd7eb7625ce3950d68ee62aed554699380a5843f22c828452024',
    postgres: '775c7b7536c0f10a95ed6707899eeaf044ff8c18e641b950d395eeaf52fccd25',
  },
} as const
