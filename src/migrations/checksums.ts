/** The checksums of the statements of the migrations, by name and engine. The database records them; `tests/schema.test.ts` compares. */
export const checksums = {
  '0001': {
    sqlite: '886ef216662051bca2aef7193ae31981f82701b9dc1db09d2ff51cd2ecd06a32',
    postgres: '5be7d11b5934d39096eaf495bd9e7cbdf5385cd717f96b209f81f5da9bf30117',
  },
  '0002': {
    sqlite: '2eb878aae12d2684b7aa13c227a0c92b3af30d6d4ed30645749b674a0d76a66b',
    postgres: '4c36078cae59f582afced53dac7b213041803fbb32d0cd9d6837aadbdc3d0d10',
  },
} as const
