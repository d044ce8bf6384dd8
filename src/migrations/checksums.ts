/** The checksums of the statements of the migrations, by name and engine. The database records them; `tests/schema.test.ts` compares. */
export const checksums = {
  '0001': {
    sqlite: '886ef216662051bca2aef7193ae31981f82701b9dc1db09d2ff51cd2ecd06a32',
    postgres: '5be7d11b5934d39096eaf495bd9e7cbdf5385cd717f96b209f81f5da9bf30117',
  },
  '0002': {
    sqlite: 'd0fe6c61f12979ae343290fc1041a8cbb7e1ff2276aa4ee3f11ce3fd80dcd7d7',
    postgres: '6f45ff17c49c4601ffd6436f63673272d0a5d1fcd4f6969665cd1fbea876baee',
  },
} as const
