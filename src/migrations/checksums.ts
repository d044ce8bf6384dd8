/** The checksums of the statements of the migrations, by name and engine. The database records them; `tests/schema.test.ts` compares. */
export const checksums = {
  '0001': {
    sqlite: '886ef216662051bca2aef7193ae31981f82701b9dc1db09d2ff51cd2ecd06a32',
    postgres: '5be7d11b5934d39096eaf495bd9e7cbdf5385cd717f96b209f81f5da9bf30117',
  },
  '0002': {
    sqlite: '5fdc3d1295bff7b8e2d9f28dc932feb66524d009b04674a6dde9d8c2b56bcb1f',
    postgres: '73d83d1adaf976f29f7cfa90b7484ca22e010d3c7a424d8e8948fcec00eda765',
  },
} as const
