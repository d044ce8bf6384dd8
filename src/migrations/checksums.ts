/** The checksums of the statements of the migrations, by name and engine. The database records them; `tests/schema.test.ts` compares. */
export const checksums = {
  '0001': {
    sqlite: '886ef216662051bca2aef7193ae31981f82701b9dc1db09d2ff51cd2ecd06a32',
    postgres: '5be7d11b5934d39096eaf495bd9e7cbdf5385cd717f96b209f81f5da9bf30117',
  },
  '0002': {
    sqlite: '6a6c4ec7539f42176f39ada745f14f39e948cebd9b0f5517d0f9193b4ad00639',
    postgres: '5a091eac7d3ccb48af8e3f2d9acc375581188061796f539c1d8aebbd17e6aba6',
  },
} as const
