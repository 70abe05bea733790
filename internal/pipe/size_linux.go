package pipe

const pipeBuf = 4096
