/** The checksums of the statements of the migrations, by name and engine. The database records them; `tests/schema.test.ts` compares. */
export const checksums = {
  '0001': {
    sqlite: '886ef216662051bca2aef7193ae31981f82701b9dc1db09d2ff51cd2ecd06a32',
    postgres: '5be7d11b5934d39096eaf495bd9e7cbdf5385cd717f96b209f81f5da9bf30117',
  },
  '0002': {
    sqlite: '29b12e5066ec53f42c4eacac376222d7bf6f840b04f4953e7585745ffcaaebd6',
    postgres: '9e959b2784555ee58e052eb3b35f62c0f6e1099c66eecb53bfc5337975a681d6',
  },
} as const
