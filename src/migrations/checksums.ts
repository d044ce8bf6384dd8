/** The checksums of the statements of the migrations, by name and engine. The database records them; `tests/schema.test.ts` compares. */
export const checksums = {
  '0001': {
    sqlite: '886ef216662051bca2aef7193ae31981f82701b9dc1db09d2ff51cd2ecd06a32',
    postgres: '5be7d11b5934d39096eaf495bd9e7cbdf5385cd717f96b209f81f5da9bf30117',
  },
  '0002': {
    sqlite: '2746a2d4784a42717aadd9a9c386b449e4c4ae80bde27bd5e28079ff6d7b4684',
    postgres: '81e304f545003827475e3da590103d1771a89a9904e9daf4d69aca7738dd0419',
  },
} as const
