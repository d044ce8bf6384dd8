/** The checksums of the statements of the migrations, by name and engine. The database records them; `tests/schema.test.ts` compares. */
export const checksums = {
  '0001': {
    sqlite: '886ef216662051bca2aef7193ae31981f82701b9dc1db09d2ff51cd2ecd06a32',
    postgres: '5be7d11b5934d39096eaf495bd9e7cbdf5385cd717f96b209f81f5da9bf30117',
  },
  '0002': {
    sqlite: '02ddef7b9d6c243beb1a112f71b9626d5ce901967346f8b6376e98b27aa79adb',
    postgres: 'b257caba9e442a16eb8a756390dba75ac50e45a1ba2aaaca80349e82601a8d4e',
  },
} as const
