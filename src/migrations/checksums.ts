/** The checksums of the statements of the migrations, by name and engine. The database records them; `tests/schema.test.ts` compares. */
export const checksums = {
  '0001': {
    sqlite: '886ef216662051bca2aef7193ae31981f82701b9dc1db09d2ff51cd2ecd06a32',
    postgres: '5be7d11b5934d39096eaf495bd9e7cbdf5385cd717f96b209f81f5da9bf30117',
  },
  '0002': {
    sqlite: 'c5bfa229db44e5e90a193d793647ac7cdaf4b92b65ad9000b5372598667d6882',
    postgres: 'e768814062d72d465c33d3533a2c79fe234ffc1966c1172e2d4f92075492dfe0',
  },
} as const
