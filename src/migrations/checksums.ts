/** The checksums of the statements of the migrations, by name and engine. The database records them; `tests/schema.test.ts` compares. */
export const checksums = {
  '0001': {
    sqlite: '886ef216662051bca2aef7193ae31981f82701b9dc1db09d2ff51cd2ecd06a32',
    postgres: '5be7d11b5934d39096eaf495bd9e7cbdf5385cd717f96b209f81f5da9bf30117',
  },
  '0002': {
    sqlite: 'ebb72058d1246107654f28801e3763e1b8e018b32c452962a4c4dc1fa24dc2f0',
    postgres: 'aa2e7e198c34305ed1e54838dd620f5966d695d536f12ab7fba9d66ead00959f',
  },
} as const
