/* SPDX-License-Identifier: MIT */
/* For QEMU's riscv64 machine "virt", without firmware, where all four CPUs begin here: each adds 50,000 to one number, under a lock,
 * in steps of load and store. The last to be done prints the number on the serial port, and switches the machine off. */
.equ CPUS, 4
.equ ROUNDS, 50000
.equ SERIAL, 0x10000000
.equ POWER, 0x100000 /* the test device: 0x5555 ends QEMU with status 0 */

.globl _start
_start:
    la t0, lock
    la t1, number
    la t2, done
    li t3, ROUNDS
next:
    li t4, 1
    amoswap.w.aq t4, t4, (t0)
    bnez t4, next
    lw t5, (t1)
    addi t5, t5, 1
    sw t5, (t1)
    amoswap.w.rl zero, zero, (t0)
    addi t3, t3, -1
    bnez t3, next
    li t4, 1
    amoadd.w.aqrl t4, t4, (t2)
    li t5, CPUS - 1
    beq t4, t5, last
sleep:
    wfi
    j sleep

/* In decimal, from the last digit on, into the text that ends with a newline. */
last:
    lw a0, (t1)
    la a1, end
    li a2, 10
    li a3, SERIAL
digit:
    remu a4, a0, a2
    divu a0, a0, a2
    addi a4, a4, '0'
    addi a1, a1, -1
    sb a4, (a1)
    bnez a0, digit
print:
    lbu a4, (a1)
    beqz a4, off
    sb a4, (a3)
    addi a1, a1, 1
    j print
off:
    li a0, 0x5555
    li a1, POWER
    sw a0, (a1)
    j sleep

.section .data
.balign 64
lock: .word 0
.balign 64
number: .word 0
.balign 64
done: .word 0
.space 12
end: .byte 10, 0
