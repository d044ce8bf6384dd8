/** The checksums of the statements of the migrations, by name and engine. The database records them; `tests/schema.test.ts` compares. */
export const checksums = {
  '0001': {
    sqlite: '886ef216662051bca2aef7193ae31981f82701b9dc1db09d2ff51cd2ecd06a32',
    postgres: '5be7d11b5934d39096eaf495bd9e7cbdf5385cd717f96b209f81f5da9bf30117',
  },
  '0002': {
    sqlite: '881e46924739827fc8bf63eae95f1b1736e90da89f7f971bf1db8841f1e2fffc',
    postgres: '63f2a2606c3d2eaa565d624161728221c91117f220b231e75c4df365a10fd3e6',
  },
} as const
