/** The checksums of the statements of the migrations, by name and engine. The database records them; `tests/schema.test.ts` compares. */
export const checksums = {
  '0001': {
    sqlite: '886ef216662051bca2aef7193ae31981f82701b9dc1db09d2ff51cd2ecd06a32',
    postgres: '5be7d11b5934d39096eaf495bd9e7cbdf5385cd717f96b209f81f5da9bf30117',
  },
  '0002': {
    sqlite: '1e84c4d3fd6af79371931d0c2745723b2931deac4c009c92db13dc17efc5f592',
    postgres: 'b4affac94ef0ac48d023cd7f2990abc76311936a27294d5f9adc59844623c045',
  },
} as const
